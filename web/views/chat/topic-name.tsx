import CircleCheck from 'lucide-react/icons/circle-check'
import type { ReactNode } from 'react'
import { isResolved, topicTitle } from '../../store/messages/topic-title.ts'
import { t } from '../../text/t.ts'
import './topic-name.css'

/** The mark of a resolved topic, which stands before its title. */
export const ResolvedMark = (): ReactNode => (
  <CircleCheck className="icon topic-resolved" role="img" aria-label={t('Resolved')} aria-hidden={undefined} />
)

/** The name of a topic, with an icon if it is resolved. The empty name is shown as general chat. */
export function TopicName({ topic }: { topic: string }): ReactNode {
  if (topic === '') return <i>{topicTitle(topic)}</i>
  if (!isResolved(topic)) return topic
  return (
    <>
      <ResolvedMark /> {topicTitle(topic)}
    </>
  )
}
