import { type Body, type Person, startChat } from '../harness.ts'
import { followsNothing, sendDirect, sendToChannel } from '../messages.ts'

/** A term as a pair of operator and operand. */
export type Pair = [string, unknown]

/** A range that includes all messages. */
export const RANGE = { anchor: 'newest', num_before: 100, num_after: 0 }

export const idsOf = (page: Body): number[] => page['messages'].map((message: { id: number }) => message.id)

export const find = async (person: Person, narrow: readonly unknown[]): Promise<number[]> =>
  idsOf(await person.succeed('GET /messages', { ...RANGE, narrow }))

/** Returns the same terms as objects. */
export const asObjects = (pairs: readonly Pair[], negated = false) =>
  pairs.map(([operator, operand]) => ({ operator, operand, negated }))

/** Creates people, two channels and messages of every kind, named by their special property. */
export async function startNarrowChat() {
  const chat = await startChat()
  const settings = followsNothing
  const [ada, ben, cleo] = [
    await chat.user('ada', { settings }),
    await chat.user('ben', { settings }),
    await chat.user('cleo', { settings }),
  ]
  const [design, other] = [await chat.channel('design', [ada, ben]), await chat.channel('other', [ada, cleo])]
  const ids = {
    tea: await sendToChannel(ada, design, 'one'),
    Tea: await sendToChannel(ben, design, 'see https://example.com/a.png', 'TEA'),
    resolved: await sendToChannel(ada, design, '@**Ben** done', '✔ milk'),
    empty: await sendToChannel(ada, design, 'nothing', ''),
    elsewhere: await sendToChannel(cleo, other, 'apart'),
    direct: await sendDirect(ada, [ben]),
    group: await sendDirect(ada, [ben, cleo]),
    self: await sendDirect(ben, [ben]),
  }
  return { chat, ada, ben, cleo, design, other, ids }
}
