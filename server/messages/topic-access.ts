import { refusal } from '../base/refusal.ts'
import type { Realm } from '../realms/realm.ts'
import { requireTopic } from './topic.ts'

export const missingTopic = refusal('BAD_REQUEST', 400, 'Missing topic')
export const topicsRequired = refusal('BAD_REQUEST', 400, 'Topics are required in this organization.')

/** The topic as it is stored; the one without a name is refused where the organization wants names. */
export function requireOpenTopic(realm: Realm, given: string): string {
  const topic = requireTopic(given)
  if (topic === '' && realm.settings.mandatory_topics) throw topicsRequired()
  return topic
}
