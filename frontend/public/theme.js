// Runs before the first paint: applies the theme the user chose, if it is not the system's.
(function () {
  try {
    var chosen = localStorage.getItem("rackside.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be refused; the system's theme is then the right one.
  }
})();
