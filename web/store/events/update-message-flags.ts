import { changeMessages, changeTimelines, dropMessages, refreshTimelines } from '../messages.ts'
import type { ServerEvent } from './event.ts'

type FlagsUpdate = { op: 'add' | 'remove'; flag: string; messages: number[]; all: boolean }

/** A flag was set on messages of one's own, or taken from them. */
export function takeFlags(event: ServerEvent): void {
  const { op, flag, messages, all } = event as unknown as FlagsUpdate
  const ids = all ? knownIds() : messages
  changeMessages(ids, (message) => {
    const others = message.flags.filter((one) => one !== flag)
    return { ...message, flags: op === 'add' ? [...others, flag] : others }
  })
  if (flag !== 'starred') return
  if (op === 'add') refreshTimelines(({ kind }) => kind === 'starred')
  else dropMessages(({ id }, { kind }) => kind === 'starred' && messages.includes(id))
}

function knownIds(): number[] {
  const ids: number[] = []
  changeTimelines((known) => {
    ids.push(...known.messages.map(({ id }) => id))
    return known
  })
  return ids
}
