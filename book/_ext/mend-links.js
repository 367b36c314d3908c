// In the single page, what leads to another page of the book leads to its place in this one;
// what is not in it is no link.
() => {
  for (const link of document.querySelectorAll('article a[href]')) {
    const [, page, filter, anchor] = link.getAttribute('href').match(/^([^#?]*)([^#]*)#?(.*)$/);
    if ((!page && !filter) || page.includes(':')) continue;
    const place = anchor || 'document-' + page.replace(/\.html$/, '');
    if (document.getElementById(place)) link.setAttribute('href', '#' + place);
    else link.removeAttribute('href');
  }
}
