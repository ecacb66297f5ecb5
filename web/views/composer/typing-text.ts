import { t } from '../../text/t.ts'
/** Says who types; names as many as can be read at a glance. */
export function typingText([first = '', second, ...others]: readonly string[]): string {
  if (second === undefined) return t('{first} is typing…', { first })
  return others.length === 0
    ? t('{first} and {second} are typing…', { first, second })
    : t('Several people are typing…')
}
