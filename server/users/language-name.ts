/** The parts of a tag that have names: a language, the script, the country. */
const NAMED_PARTS = /^([a-z]{2,3})(?:[-_]([A-Z][a-z]{3}))?(?:[-_]([A-Z]{2}))?(?![A-Za-z0-9])/

/** What a language is called by those who speak it: `de` is Deutsch. A tag that names none is its own name. */
export function languageName(tag: string): string {
  const [, ...parts] = NAMED_PARTS.exec(tag) ?? []
  const named = parts.filter((part) => part !== undefined).join('-')
  if (named === '') return tag
  return new Intl.DisplayNames([named], { type: 'language' }).of(named) ?? tag
}
