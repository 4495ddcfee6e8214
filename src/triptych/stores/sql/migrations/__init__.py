"""Steps that lead from one set of tables to the next, run by ``stores.sql.migrate``."""
