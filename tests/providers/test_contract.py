import pytest

from tests.providers.fake_server import Answer
from tests.providers.http_fixture import ThreadedServer
from tests.wires.chunks import sse
from triptych.providers.http import Http, Limits
from triptych.providers.local import SMALL_OPTIONS, LocalProvider
from triptych.providers.openai_compatible import open_compatible
from triptych.providers.profiles import LOCAL
from triptych.providers.weights import find_weights, small_model_path
from triptych.testing.provider_contract import ProviderContract, Setting
from triptych.testing.scripted import ScriptedProvider
from triptych.wires.profiles import find_profile
