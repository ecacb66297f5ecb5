import { currentOrganization } from '../organization.ts'

/** Returns the maximum length of a topic, in code points. The server truncates longer topics. */
export const maxTopicLength = (): number => currentOrganization()?.max_topic_length ?? Number.POSITIVE_INFINITY

export const isTopicTooLong = (topic: string): boolean => [...topic.trim()].length > maxTopicLength()

/** Returns true if the server would truncate the text of a message. */
export const isMessageTooLong = (text: string): boolean =>
  [...text.trimEnd()].length > (currentOrganization()?.max_message_length ?? Number.POSITIVE_INFINITY)
