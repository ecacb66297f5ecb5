import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'

/** The name of a topic. The empty name is shown as general chat. */
export function TopicName({ topic }: { topic: string }): ReactNode {
  return topic === '' ? <i>{t('general chat')}</i> : topic
}
