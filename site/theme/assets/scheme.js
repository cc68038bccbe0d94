// Runs before the first paint: a scheme that the reader chose earlier. Without one the system decides, by style sheet.
(function () {
  try {
    var chosen = localStorage.getItem("sealmark-scheme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.scheme = chosen;
  } catch (error) {
    /* storage may be forbidden; then the system decides */
  }
})();
