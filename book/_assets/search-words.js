// The excerpts below the hits of a search show formulas as words and signs in place of TeX.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined" || !Search.htmlToText) return;
  const signs = {
    ell: "ℓ", le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", tau: "τ", pi: "π", delta: "δ", varepsilon: "ε", alpha: "α",
    rho: "ρ", sum: "Σ", cdot: "·", times: "×", in: "∈", infty: "∞", to: "→", lfloor: "⌊", rfloor: "⌋", lceil: "⌈",
    rceil: "⌉", ldots: "…", dots: "…", R: "ℝ", N: "ℕ", quad: " ", qquad: " ", left: "", right: "", Bigl: "", Bigr: "",
    bigl: "", bigr: "", displaystyle: "", mathrm: "", operatorname: "", mathbf: "", text: "", tfrac: "frac", tbinom: "binom",
  };
  const argument = "(?:\\{([^{}]*)\\}|(\\w))";
  const words = (tex) => {
    let text = tex.replace(/^\\[([]|\\[)\]]$/g, "").replace(/\\([a-zA-Z]+)/g, (all, name) => {
      const sign = signs[name];
      return sign === undefined ? all : sign === "frac" || sign === "binom" ? `\\${sign}` : `${sign}`;
    });
    for (let i = 0; i < 3; i++) {
      text = text
        .replace(new RegExp(`\\\\frac\\s*${argument}\\s*${argument}`, "g"), (_, a, b, c, d) => `${a ?? b}/${c ?? d}`)
        .replace(new RegExp(`\\\\binom\\s*${argument}\\s*${argument}`, "g"), (_, a, b, c, d) => `C(${a ?? b}, ${c ?? d})`);
    }
    return text.replace(/\\([a-zA-Z]+)/g, "$1").replace(/\\[,;:! {}]/g, " ").replace(/[{}\\]/g, "");
  };
  const plain = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const formula of page.querySelectorAll(".math")) formula.textContent = words(formula.textContent.trim());
    return plain(page.documentElement.outerHTML, anchor);
  };
});
