// On a phone a wide figure keeps a width at which its text can be read, and scrolls in its own box.
document.addEventListener("DOMContentLoaded", () => {
  const phone = window.matchMedia("(max-width: 40rem)");
  const settle = () => {
    if (!phone.matches) return;
    for (const image of document.querySelectorAll("article figure img, article .cell_output img")) {
      if (image.closest(".figure-scroll")) continue;
      const box = document.createElement("div");
      box.className = "figure-scroll";
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "Figure, scrolls sideways");
      image.replaceWith(box);
      box.append(image);
    }
  };
  const measure = () => {
    for (const box of document.querySelectorAll(".figure-scroll")) {
      box.classList.toggle("fits", box.scrollWidth <= box.clientWidth);
    }
  };
  settle();
  phone.addEventListener("change", settle);
  window.addEventListener("load", measure);
  window.addEventListener("resize", measure);
});
