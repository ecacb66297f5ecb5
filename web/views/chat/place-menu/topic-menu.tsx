import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import type { TopicActions } from './use-topic-actions.tsx'

/** The menu of a topic, with the dialogs that its actions open. */
export function TopicMenu({ topic, actions }: { topic: string; actions: TopicActions }): ReactNode {
  return (
    <>
      <RowMenu label={t('Actions for topic {topic}', { topic: topic || t('general chat') })} items={actions.items} />
      {actions.dialogs}
    </>
  )
}
