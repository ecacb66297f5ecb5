import { Role } from '../../server/users/role.ts'
import { type Chat, type Person, startChat } from '../harness.ts'
import { say, tell } from '../talk.ts'

/** An organization in which everything can happen. */
export type World = {
  chat: Chat
  /** An owner, an administrator, three members, two guests. */
  people: readonly Person[]
  channels: readonly { id: number; name: string }[]
  bots: Person[]
}

/** What a deed is done to: numbers that everything is picked by. */
export type Pick = {
  <Thing>(things: readonly Thing[]): Thing
  /** Whether something optional is done. */
  flip(): boolean
}

/** Something that somebody tries to do. What they may not do is refused, and that is all right. */
export type Deed = (world: World, who: Person, pick: Pick) => Promise<unknown>

export async function startWorld(): Promise<World> {
  const chat = await startChat()
  const [ada, ann] = [
    await chat.user('ada', { role: Role.owner }),
    await chat.user('ann', { role: Role.administrator }),
  ]
  const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
  const [gus, eve] = [await chat.user('gus', { role: Role.guest }), await chat.user('eve', { role: Role.guest })]
  const channels = [
    await chat.channel('open', [ada, ben, gus]),
    await chat.channel('web', [ben], { isWebPublic: true }),
    await chat.channel('shared', [ada, ben, gus], { isPrivate: true }),
    await chat.channel('guarded', [ben, cleo, eve], { isPrivate: true, isHistoryShared: false }),
    await chat.channel('other', [cleo, dan]),
  ]
  const bots = [await chat.user('helper', { botType: 1, owner: ben })]
  await say(ben, { name: 'open' }, '@**Ada** and @**all**')
  await say(cleo, { name: 'guarded' }, 'hello', '')
  await tell(dan, [ada, ben])
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [ben.id, gus.id] })
  return { chat, people: [ada, ann, ben, cleo, dan, gus, eve], channels, bots }
}

/** Picks by numbers, one after the other. */
export function pickBy(numbers: readonly number[]): Pick {
  let next = 0
  const number = () => numbers[next++ % numbers.length] as number
  const pick = <Thing>(things: readonly Thing[]) => things[number() % things.length] as Thing
  return Object.assign(pick, { flip: () => number() % 2 === 0 })
}
