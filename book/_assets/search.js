// The search ranks pages that name the subject before those that only mention it,
// chapters before appendices and the reference, and all others by their place in the
// contents. A page names a subject in its title, or in the words that
// `book/signposts.toml` has for it. In the excerpts below the hits a formula is an
// ellipsis in place of TeX.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined" || !Search.htmlToText) return;
  const plain = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const formula of page.querySelectorAll(".math")) formula.textContent = "…";
    return plain(page.documentElement.outerHTML, anchor);
  };

  const pages = window.treeboundsPages,
    index = Search._index;
  if (!pages || !index) return;
  const API = 3; // the kind of a page of the reference of the library
  const FILLERS = new Set(
    "a an and are can do does for how i in is it me my of on or should the to we what when where which why with you your".split(
      " ",
    ),
  );
  const stemmer = new Stemmer();
  const isFiller = (word) => FILLERS.has(word.toLowerCase());
  const stems = (text) => {
    const all = splitQuery(text.toLowerCase()),
      telling = all.filter((word) => !isFiller(word));
    return (telling.length ? telling : all).map((word) => stemmer.stemWord(word));
  };

  // The index finds a page by the words that it has for its subject.
  for (const [page, { search }] of Object.entries(pages)) {
    const place = index.docnames.indexOf(page);
    for (const word of place < 0 ? [] : search.flatMap(stems)) {
      index.terms[word] = [...new Set([index.terms[word] ?? []].flat().concat(place))];
    }
  }

  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const [whole, ...sets] = parse(query),
      words = splitQuery(query),
      telling = words.filter((word) => !isFiller(word));
    if (telling.length === 0 || telling.length === words.length)
      return [whole, ...sets];
    return [whole, ...parse(telling.join(" ")).slice(1)];
  };

  // How well a hit names the query: at most 1 by a share of its words, more by all of
  // them, most by nothing else. A page that has all words in its title precedes a
  // section that has.
  const naming = ([page, title, anchor, description], query) => {
    const isSection = anchor && !description,
      isApi = pages[page]?.kind === API;
    const own = description ? title.split(".").pop() : title.split(" > ").pop();
    const phrases = (anchor ? [own] : [own, ...(pages[page]?.search ?? [])]).map(stems);
    const isQuery = (phrase) => phrase.join(" ") === query.join(" "),
      hasAll = (phrase) => query.every((word) => phrase.includes(word));
    if (!isApi && phrases.some(isQuery)) return isSection ? 3 : 5;
    if (phrases.some(hasAll)) return isSection ? 2 : 4;
    return query.filter((word) => phrases.flat().includes(word)).length / query.length;
  };
  const perform = Search._performSearch;
  Search._performSearch = (query, ...others) => {
    const asked = stems(query);
    const ranked = perform(query, ...others).map((hit) => {
      const { kind, place } = pages[hit[0]] ?? { kind: API, place: Infinity };
      return { hit, key: [-naming(hit, asked), kind, place, hit[2] ? 1 : 0, -hit[4]] };
    });
    const differences = (a, b) => a.key.map((value, i) => b.key[i] - value);
    // Hits are shown from the last one on.
    ranked.sort((a, b) => differences(a, b).find((difference) => difference) ?? 0);
    return ranked.map(({ hit }) => hit);
  };
});
