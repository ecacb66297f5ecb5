/** The languages that users can select. The official clients are translated into them. */
const languages = new Set(
  (
    'ar be bg bn bqi ca cs cy da de el en en-gb eo es et fa fi fr gl gu hi hu id it ja kk ko lt lv ml mn my nl no pl pt ' +
    'pt-br pt-pt ro ru si sl sr sv ta tl tr uk vi zh-hans zh-hant zh-tw'
  ).split(' '),
)

export const isLanguage = (code: string): boolean => languages.has(code)
