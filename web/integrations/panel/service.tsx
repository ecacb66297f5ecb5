import { type ReactNode, useState } from 'react'
import type { AnswerOf } from '../../api/call.ts'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import type { Bot } from '../../settings/own-bots.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import * as css from './panel.module.css'

export type Integration = AnswerOf<'GET /integrations/{integration}'>

/** The steps in the service, with a link to its public page. */
export function Steps({ service }: { service: Integration }): ReactNode {
  return (
    <div className={css.steps}>
      <ol aria-label={t('Steps')}>
        {service.steps_html.map((html, at) => (
          <li key={at}>
            <RenderedContent html={html} />
          </li>
        ))}
      </ol>
      <a href={service.page} target="_blank" rel="noopener noreferrer">
        {t('Page about {title} to share', { title: service.title })}
      </a>
    </div>
  )
}

/** A sample message of the service, with its event if that is not among the chosen ones. */
export function Sample(props: {
  service: Integration
  /** The bot; undefined for a new one. */
  bot?: Bot | undefined
  /** The events that are posted; empty for all. */
  chosen?: readonly string[]
}): ReactNode {
  const { service, bot, chosen = [] } = props
  const [now] = useState(() => Date.now() / 1000)
  if (service.sample === null) return null
  const { event } = service.sample
  const name = bot?.full_name ?? service.title
  const isLeftOut = chosen.length > 0 && !chosen.includes(event)
  const eventTitle = service.events.find((one) => one.name === event)?.title ?? event
  return (
    <section aria-labelledby="integration-sample">
      <h3 id="integration-sample" className={css.label}>
        {t('How it looks')}
      </h3>
      <div className={css.sample}>
        <Avatar {...(bot && { id: bot.user_id, url: bot.avatar_url })} name={name} />
        <div className={css.sampleBody}>
          <p className={css.sampleHead}>
            <b>{name}</b> <Badge kind="quiet">{t('Bot')}</Badge>{' '}
            <span className="soft small">
              <Time at={now} as="clock" />
            </span>
          </p>
          <RenderedContent html={service.sample.rendered_content} />
        </div>
      </div>
      {isLeftOut && (
        <p className="soft small">
          {t('The sample and the test message are for another event: {event}', { event: eventTitle })}
        </p>
      )}
    </section>
  )
}
