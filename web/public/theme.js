// Runs before the first paint, so that a chosen theme never flashes.
try {
  const chosen = localStorage.getItem("triptych.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // No storage: the system's theme it is.
}
