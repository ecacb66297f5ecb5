import { topicDraftKey } from '../../store/drafts/drafts.ts'

type Topic = { readonly channelId: number; readonly topic: string }

/** The names of compose boxes that moved with their topics, by topic. */
const names = new Map<string, string>()
let moves = 0

const keyOf = ({ channelId, topic }: Topic): string => topicDraftKey(0, channelId, topic)

/** Returns the name of the compose box of a topic, by which React recognizes it. */
export const composerOf = (topic: Topic): string => names.get(keyOf(topic)) ?? keyOf(topic)

/** Makes the compose box of a topic the one of another topic, with its text, cursor and focus. */
export function moveComposer(from: Topic, to: Topic): void {
  if (keyOf(from) === keyOf(to)) return
  moves += 1
  names.set(keyOf(to), composerOf(from))
  names.set(keyOf(from), `${keyOf(from)} ${moves}`)
}
