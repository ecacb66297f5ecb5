import X from 'lucide-react/icons/x'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import './tour.css'
import { t } from '../../text/t.ts'
import { useCoversFocus } from './use-covers-focus.ts'

const STEPS = [
  {
    title: t('Channels and topics'),
    text: t('Conversations live in channels, sorted into topics, so you read only what matters to you.'),
  },
  {
    title: t('Send a message'),
    text: t('Write in the box below, in an existing topic or a new one. To message one person, open People.'),
  },
  {
    title: t('Find your way'),
    text: t('Unread messages are in Inbox. Press ? for shortcuts. Your profile and theme are in the account menu.'),
  },
] as const

/**
 * Three steps beside the page, which one may pass over, end or leave as they are. It takes no focus, and hides while it
 * would cover what has it.
 */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function Tour({ onEnd }: { onEnd: () => void }): ReactNode {
  const card = useRef<HTMLElement>(null)
  const [at, go] = useState(0)
  const isInTheWay = useCoversFocus(card)
  const step = STEPS[at] ?? STEPS[0]
  const isLast = at === STEPS.length - 1

  function end() {
    if (card.current?.contains(document.activeElement)) document.getElementById('main')?.focus({ preventScroll: true })
    onEnd()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    end()
  }

  return (
    <section
      ref={card}
      className="card tour"
      aria-label={t('Tour')}
      data-in-the-way={isInTheWay || undefined}
      onKeyDown={onKeyDown}
    >
      <header className="tour-head">
        <p className="soft small">{t('Step {value} of {count}', { value: at + 1, count: STEPS.length })}</p>
        <Button
          kind="quiet"
          aria-label={t('End tour')}
          icon={<X className="icon" aria-hidden="true" />}
          onPress={end}
        />
      </header>
      <div role="status">
        <h2>{step.title}</h2>
        <p>{step.text}</p>
      </div>
      <div className="row tour-acts">
        {at > 0 && <Button onPress={() => go(at - 1)}>{t('Back')}</Button>}
        <Button kind="primary" onPress={() => (isLast ? end() : go(at + 1))}>
          {isLast ? t('Done') : t('Next')}
        </Button>
      </div>
    </section>
  )
}
