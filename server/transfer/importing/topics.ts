import { normalizeTopic, truncateTopic } from '#channels/topic.ts'
import { toStorableText } from '#storage/storable-values.ts'

/** Returns the topic in the stored form: without invisible characters, and cut to the maximum length. */
export function requireTopicOf(given: string): string {
  return truncateTopic(normalizeTopic(toStorableText(given.replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, ''))))
}
