import { IntlMessageFormat } from 'intl-messageformat'

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

const formats = new Map<string, IntlMessageFormat>()

/** Returns the format of a message in the language of the page. Each message is parsed only once. */
export function formatOf(message: string): IntlMessageFormat {
  const known = formats.get(message)
  if (known !== undefined) return known
  const translated = translation.translate(message)
  const language = translated === undefined ? 'en' : translation.language
  const format = new IntlMessageFormat(translated ?? message, language)
  formats.set(message, format)
  return format
}

/**
 * Returns an interface string in the language of the page. `message` is English in the ICU format, with plurals:
 * `t('{count, plural, one {# reply} other {# replies}}', { count })`. It must be a literal, so that tools can collect
 * all messages for translators.
 */
export function t(message: string, values?: Readonly<Record<string, string | number>>): string {
  // Most English strings are plain and need not be parsed.
  if (translation.language === 'en' && !/[{<]/.test(message)) return message
  return formatOf(message).format(values) as string
}
