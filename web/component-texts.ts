import type { Plugin } from 'vite'

const LIST = /[\\/]react-(?:aria|stately|aria-components)[\\/]dist[\\/].*[\\/]intlStrings\.mjs$/

/**
 * Leaves out React Aria's translations into 33 languages, which would be a twentieth of all scripts. React Aria's
 * components fall back to English.
 */
export function onlyEnglishComponentTexts(): Plugin {
  return {
    name: 'only-english-component-texts',
    transform(code, id) {
      if (!LIST.test(id)) return null
      const english = /from ["']([^"']*en-US\.mjs)["']/.exec(code)?.[1]
      if (english === undefined) throw new Error(`No English texts in ${id}`)
      return { code: `import texts from '${english}'\nexport default { 'en-US': texts }\n`, map: null }
    },
  }
}
