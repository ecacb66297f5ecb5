import { Role } from '#rules/role.ts'
import type { Chat, Person } from '../harness.ts'
import { sendToChannel } from '../messages.ts'

export type Cast = { ada: Person; ben: Person; cleo: Person }

/** Fills a realistic organization: an owner, two members, three channels and a conversation. */
export async function fillExample(chat: Chat): Promise<Cast> {
  const ada = await chat.user('ada', { role: Role.owner, fullName: 'Ada Lovelace' })
  const ben = await chat.user('ben', { fullName: 'Ben Bitdiddle' })
  const cleo = await chat.user('cleo', { fullName: 'Cleo Hopper', role: Role.administrator })
  const everybody = [ada, ben, cleo]
  const design = await chat.channel('design', everybody, { description: 'Sketches, icons, and how it feels' })
  const engines = await chat.channel('engines', everybody, { description: 'What runs underneath' })
  await chat.channel('board', [ada, cleo], { isPrivate: true, description: 'Plans that are not ripe yet' })
  await sendToChannel(
    ada,
    design,
    'The new icons are **in the folder**. Which of these two do you like?\n\n1. round\n2. square',
    'icons',
  )
  await sendToChannel(cleo, design, 'Round, please. `border-radius: 50%` and be done :tada:', 'icons')
  await sendToChannel(ben, design, '@**Ada Lovelace** could we try a warmer grey?', 'colours')
  await sendToChannel(
    ben,
    engines,
    'It is the cache:\n\n```python\ndef answer():\n    return cache.get("answer", 42)\n```\n\n> Are you sure?\n\nQuite. $$E = mc^2$$',
    'slow start',
  )
  return { ada, ben, cleo }
}
