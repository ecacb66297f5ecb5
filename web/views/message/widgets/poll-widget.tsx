import ChartBar from 'lucide-react/icons/chart-bar'
import Check from 'lucide-react/icons/check'
import type { CSSProperties, ReactNode } from 'react'
import { MAX_WIDGET_INDEX } from '#rules/limits.ts'
import type { Poll, PollOption } from '../../../store/messages/widgets/poll.ts'
import { useOrganization } from '../../../store/organization.ts'
import { joinNames } from '../../../text/join-names.ts'
import { t } from '../../../text/t.ts'
import { useNames } from '../reactions/use-names.ts'
import { AddForm } from './add-form.tsx'
import { changeWidget } from './change-widget.ts'
import { WidgetTitle } from './widget-title.tsx'

/** A poll. All readers can vote for any number of options and add options. */
export function PollWidget(props: { poll: Poll; messageId: number; isAuthor: boolean }): ReactNode {
  const { poll, messageId, isAuthor } = props
  const total = poll.options.reduce((sum, { voters }) => sum + voters.length, 0)
  const isKnown = (text: string) => poll.options.some((option) => option.text === text)
  return (
    <section className="widget" aria-label={t('Poll')}>
      <WidgetTitle
        icon={<ChartBar className="icon" aria-hidden="true" />}
        title={poll.question}
        untitled={t('Poll')}
        label={t('Question')}
        editLabel={t('Edit question')}
        onSave={isAuthor ? (question) => changeWidget(messageId, { type: 'question', question }) : null}
      />
      <ul className="poll-options">
        {poll.options.map((option) => (
          <li key={option.key}>
            <OptionButton option={option} total={total} messageId={messageId} />
          </li>
        ))}
      </ul>
      {poll.nextIndex <= MAX_WIDGET_INDEX && (
        <AddForm
          label={t('Add an option')}
          problem={(option) => (isKnown(option) ? t('The poll already has this option.') : null)}
          onSave={(option) => changeWidget(messageId, { type: 'new_option', idx: poll.nextIndex, option })}
        />
      )}
    </section>
  )
}

function OptionButton(props: { option: PollOption; total: number; messageId: number }): ReactNode {
  const { option, total, messageId } = props
  const { user_id } = useOrganization()
  const nameOf = useNames()
  const { key, text, voters } = option
  const isOwn = voters.includes(user_id)
  const share = total === 0 ? 0 : Math.round((voters.length / total) * 100)
  const names = joinNames(voters.map((id) => (id === user_id ? t('you') : nameOf(id))))
  return (
    <button
      type="button"
      className="poll-option"
      aria-pressed={isOwn}
      title={names}
      style={{ '--share': `${share}%` } as CSSProperties}
      onClick={() => void changeWidget(messageId, { type: 'vote', key, vote: isOwn ? -1 : 1 })}
    >
      {isOwn && <Check className="icon" aria-hidden="true" />}
      <span className="poll-text" dir="auto">
        {text}
      </span>
      <span className="poll-count">
        {t('{count, plural, one {# vote} other {# votes}} · {share}%', { count: voters.length, share })}
      </span>
    </button>
  )
}
