import type { ReactNode } from 'react'
import { topicTitle } from '../../../store/messages/topic-title.ts'
import type { Subscription } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import { useTopicActions } from './use-topic-actions.tsx'

/** The menu of a topic, with the dialogs that its actions open. */
export function TopicMenu({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { items, dialogs } = useTopicActions({ channel, topic })
  return (
    <>
      <RowMenu label={t('Actions for topic {topic}', { topic: topicTitle(topic) })} items={items} />
      {dialogs}
    </>
  )
}
