/** What a language is called by those who speak it: `de` is Deutsch. */
export function nativeLanguageName(code: string): string {
  return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
}
