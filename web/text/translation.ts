/** The translation of the page. English needs no translation, because the code contains the English texts. */
type Translation = {
  /** A language tag. It decides the plurals and the format of numbers. */
  readonly language: string
  /**
   * Returns the translation of an English ICU message. Returns undefined if there is none; the page then shows the
   * English message.
   */
  readonly translate: (message: string) => string | undefined
}

declare global {
  /** A translation that a script has set before the client starts. */
  var parleyTranslation: Translation | undefined
}

export const translation: Translation = globalThis.parleyTranslation ?? { language: 'en', translate: () => undefined }
