/** Says who types; names as many as can be read at a glance. */
export function typingText([first, second, ...others]: readonly string[]): string {
  if (second === undefined) return `${first} is typing …`
  return others.length === 0 ? `${first} and ${second} are typing …` : 'Several people are typing …'
}
