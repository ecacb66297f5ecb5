/** Returns the name of a language in this language: `Deutsch` for `de`. */
export function nativeLanguageName(code: string): string {
  return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
}
