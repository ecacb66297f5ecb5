import type { ReactNode } from 'react'

/** The name of a topic; the one without a name is called general chat. */
export function TopicName({ topic }: { topic: string }): ReactNode {
  return topic === '' ? <i>general chat</i> : topic
}
