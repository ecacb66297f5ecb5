import type { FetchPage } from '#lib/net/fetch-page.ts'

const PAGES: Readonly<Record<string, string>> = {
  'https://example.com/tea':
    '<title>A short history of tea in Europe</title><meta property="og:image" content="https://pictures.example.com/cup.png">' +
    '<meta name="description" content="How leaves from Fujian came to every kitchen, and why they stayed.">',
  'https://example.com/title-only': '<title>Release notes</title>',
  'https://a-rather-long-name-of-a-website.example.com/long': `<title>${'A title that does not want to end and goes on '.repeat(6)}</title><meta name="description" content="${'A description of many words. '.repeat(40)}">`,
  'https://example.com/rtl':
    '<title>تاريخ الشاي</title><meta name="description" content="كيف وصلت الأوراق إلى كل مطبخ">',
  'https://example.com/wide': `<title>${'W'.repeat(190)}</title>`,
}

/** Returns pages of the gallery's websites without requesting them, and null for all other URLs. */
export const fetchGalleryPage: FetchPage = async (url) => {
  const html = PAGES[url]
  return html === undefined ? null : { url, html }
}
