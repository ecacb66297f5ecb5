import {
  type Adder,
  type Fields,
  isIndex,
  nextIndex,
  readFields,
  type Submessage,
  textIn,
  toList,
} from './widget-data.ts'

/** The key of an option is `adder,index`, as in all clients of the API. */
export type PollOption = { readonly key: string; readonly text: string; readonly voters: readonly number[] }

export type Poll = {
  readonly kind: 'poll'
  readonly question: string
  readonly options: readonly PollOption[]
  /** The index of the next option that the user adds. */
  readonly nextIndex: number
}

type Option = { text: string; voters: Set<number> }

/** Returns a poll after all changes to it. Ignores changes that no client would send. */
export function readPoll(
  extra: Fields,
  changes: readonly Submessage[],
  users: { authorId: number; ownId: number },
): Poll {
  const options = new Map<string, Option>()
  const used: number[] = []
  let question = textIn(extra['question'])

  const addOption = (adder: Adder, index: unknown, text: unknown) => {
    if (typeof text !== 'string' || !isIndex(index)) return
    if (adder === users.ownId) used.push(index)
    const isKnown = [...options.values()].some((option) => option.text === text)
    if (!isKnown) options.set(`${adder},${index}`, { text, voters: new Set() })
  }

  for (const [index, text] of toList(extra['options']).entries()) addOption('canned', index, text)
  for (const change of changes) {
    const data = readFields(change)
    const sender = change.sender_id
    if (data?.['type'] === 'new_option') addOption(sender, data['idx'], data['option'])
    if (data?.['type'] === 'question' && sender === users.authorId) question = textIn(data['question'])
    if (data?.['type'] === 'vote') vote(options.get(textIn(data['key'])), sender, data['vote'])
  }
  return {
    kind: 'poll',
    question,
    options: [...options].map(([key, { text, voters }]) => ({ key, text, voters: [...voters] })),
    nextIndex: nextIndex(used),
  }
}

function vote(option: Option | undefined, sender: number, value: unknown): void {
  if (value === 1) option?.voters.add(sender)
  if (value === -1) option?.voters.delete(sender)
}
