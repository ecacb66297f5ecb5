import type { Page } from 'playwright-core'

/**
 * Shows the client in a made-up language from the next page on: each message is accented, 40 % longer and between
 * brackets, and the page runs from right to left. Plain letters on the screen belong to strings that cannot be
 * translated.
 */
export const usePseudoLocale = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
    const accented = Array.from('ȧƀƈḓḗƒɠħīĵķŀḿƞǿƥɋřşŧŭṽẇẋẏẑȦƁƇḒḖƑƓĦĪĴĶĿḾȠǾƤɊŘŞŦŬṼẆẊẎẐ')
    const accent = (text: string) => Array.from(text, (letter) => accented[plain.indexOf(letter)] ?? letter).join('')

    /** Leaves names of values, keywords and tags unchanged: text is outside of braces, or inside two of them. */
    function translate(message: string): string {
      const parts = message.split(
        /(\{\w+(?:, number, \w+)?\}|<\/?\w+>|\{\w+, (?:plural|select),|(?:=\d+|\b(?:zero|one|two|few|many|other)) \{|[{}])/,
      )
      const text = parts.map((part, index) => (index % 2 === 1 ? part : accent(part))).join('')
      return `[${text}${'~'.repeat(Math.ceil(message.length * 0.4))}]`
    }

    globalThis.parleyTranslation = { language: 'en-XA', translate }
    document.addEventListener('DOMContentLoaded', () => {
      document.documentElement.dir = 'rtl'
    })
  })
