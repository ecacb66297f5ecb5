import { type Chat, type Person, startChat } from '../harness.ts'

/** Starts a chat with two users in a channel. */
export async function startClientChat(): Promise<{
  chat: Chat
  ada: Person
  ben: Person
  design: { id: number; name: string }
}> {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  return { chat, ada, ben, design: await chat.channel('design', [ada, ben]) }
}
