import { t } from '../../../text/t.ts'
/** Returns a sentence about the users who are typing. It names them if there are one or two. */
export function typingText([first = '', second, ...others]: readonly string[]): string {
  if (second === undefined) return t('{first} is typing…', { first })
  return others.length === 0
    ? t('{first} and {second} are typing…', { first, second })
    : t('Several people are typing…')
}
