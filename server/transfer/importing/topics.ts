import { cutTopic, meantTopic } from '../../messages/topic.ts'
import { toStorableText } from '../../platform/storage/storable-values.ts'

/** The topic as it is kept here: without what nobody can see, and cut to length. */
export function requireTopicOf(given: string): string {
  return cutTopic(meantTopic(toStorableText(given.replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, ''))))
}
