import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import Check from 'lucide-react/icons/check'
import Plug from 'lucide-react/icons/plug'
import Search from 'lucide-react/icons/search'
import SearchX from 'lucide-react/icons/search-x'
import X from 'lucide-react/icons/x'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { plainName } from '#rules/plain-name.ts'
import { type AnswerOf, call } from '../api/call.ts'
import { HelpLink } from '../help/help-link.tsx'
import { ChatHeader, ChatLayout, TO_YOU } from '../navigation/page.tsx'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import * as chipsCss from '../ui/chips.module.css'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty, Loading } from '../ui/page-states.tsx'
import { rank, toSearchIndex } from '../ui/rank.ts'
import { useMedia, WITH_RIGHT_PANE } from '../ui/use-media.ts'
import * as css from './integrations.module.css'
import { ServicePanel } from './panel/service-panel.tsx'

type Catalogue = AnswerOf<'GET /integrations'>
type Service = Catalogue['integrations'][number]

/** The interval at which the numbers of connections are fetched again, in milliseconds. No event reports deliveries. */
const PERIOD = 60_000

/** The page on which users connect other services. The panel of the chosen service is beside the list, or over it. */
export function Integrations(): ReactNode {
  const { realm_name } = useOrganization('realm_name')
  const { service: chosen, channel } = useSearch({ from: '/add-integration' })
  const navigate = useNavigate({ from: '/add-integration' })
  const isWide = useMedia(WITH_RIGHT_PANE)
  const list = useRef<HTMLDivElement>(null)
  // New keys are forgotten when the user leaves the page, because only their hashes are stored.
  const [keys, setKeys] = useState<ReadonlyMap<number, string>>(new Map())
  const { data, error, refetch } = useQuery({
    queryKey: ['integrations'],
    queryFn: ({ signal }) => call('GET /integrations', {}, { signal }),
    refetchInterval: PERIOD,
    staleTime: 0,
  })

  function close() {
    const card = list.current?.querySelector<HTMLElement>('a[aria-current]')
    void navigate({ search: (search) => ({ ...search, service: undefined }), resetScroll: false })
    card?.focus()
  }

  const title = data?.integrations.find(({ name }) => name === chosen)?.title ?? t('Integration')
  const panel = chosen !== undefined && (
    <ServicePanel
      key={chosen}
      name={chosen}
      channelId={channel}
      keys={keys}
      onKey={(botId, key) => setKeys((before) => new Map(before).set(botId, key))}
    />
  )
  return (
    <ChatLayout>
      <ChatHeader
        title={t('Integrations')}
        within={realm_name}
        icon={<Plug className="icon" aria-hidden="true" />}
        about={realm_name}
        back={TO_YOU}
        hasHeadingBelow
        actions={<HelpLink page="add-an-integration" about={t('Integrations')} />}
      />
      <div className={css.integrations}>
        <div ref={list} className={css.integrationsList}>
          <h1>{t('Integrations')}</h1>
          {error !== null && data === undefined ? (
            <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
          ) : data === undefined ? (
            <Loading label={t('Loading integrations')} lines={6} />
          ) : (
            <Services {...data} chosen={chosen} />
          )}
        </div>
        {isWide && chosen !== undefined && (
          <PanelBeside title={title} service={chosen} onClose={close}>
            {panel}
          </PanelBeside>
        )}
      </div>
      {!isWide && chosen !== undefined && (
        <Dialog title={title} size="side" isOpen onClose={close}>
          <div className="dialog-body">{panel}</div>
        </Dialog>
      )}
    </ChatLayout>
  )
}

/** The panel of a service beside the list. It gets the focus when another service is chosen. */
function PanelBeside(props: { title: string; service: string; onClose: () => void; children: ReactNode }): ReactNode {
  const { title, service, onClose, children } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [service])
  return (
    // Escape closes the panel, as it closes dialogs.
    <aside
      className={css.integrationsPanel}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onClose()
      }}
    >
      <header className={css.panelHead}>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <IconButton label={t('Close')} keys={t('Esc')} icon={X} onPress={onClose} />
      </header>
      <div className={css.panelBody}>{children}</div>
    </aside>
  )
}

const byTitle = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

function Services({ integrations, categories, chosen }: Catalogue & { chosen: string | undefined }): ReactNode {
  const [category, setCategory] = useState<string | null>(null)
  const [text, setText] = useState('')
  const words = plainName(text).split(/\s+/).filter(Boolean)
  const ofCategory = integrations
    .filter((service) => category === null || service.category === category)
    .toSorted((one, other) => byTitle.compare(one.title, other.title))
  const exact = ofCategory.filter((service) => {
    const name = plainName(`${service.title} ${service.summary} ${service.name}`)
    return words.every((word) => name.includes(word))
  })
  // Typos are considered only in names, and only if nothing is found without them.
  const index = toSearchIndex(ofCategory, ({ title, name }) => `${title} ${name}`)
  const found = exact.length > 0 || words.length === 0 ? exact : rank(index, text, ofCategory.length)

  function showAll() {
    setCategory(null)
    setText('')
  }

  return (
    <>
      <p className="soft">
        {t(
          'Bring what happens elsewhere into a channel. {count, plural, one {# service} other {# services}}, and anything that can send a web request.',
          { count: integrations.length },
        )}
      </p>
      <search className={css.integrationsSearch} aria-label={t('Search services')}>
        <div className={css.searchText}>
          <Search className="icon" aria-hidden="true" />
          <TextField
            label={t('Search services')}
            isLabelHidden
            type="search"
            autoComplete="off"
            placeholder={t('Search services')}
            value={text}
            onChange={setText}
          />
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page */}
        <div className={`${chipsCss.chips} ${css.integrationsCategories}`} role="group" aria-label={t('Category')}>
          {[{ name: null, title: t('All') }, ...categories].map(({ name, title }) => (
            <button
              key={name}
              type="button"
              className={chipsCss.chip}
              aria-pressed={category === name}
              onClick={() => setCategory(name)}
            >
              {title}
            </button>
          ))}
        </div>
      </search>
      <p className="visually-hidden" role="status">
        {t('{count, number} of {total, plural, one {# service} other {# services}}', {
          count: found.length,
          total: integrations.length,
        })}
      </p>
      {found.length === 0 ? (
        <Empty icon={<SearchX />} title={t('No matching services')}>
          <p>
            {rich(
              'Try another name. Services that are not listed can post with the <json>webhook for any JSON</json>, or in the <slack>format of Slack</slack> that many offer.',
              { json: serviceLink('json'), slack: serviceLink('slack_incoming') },
            )}
          </p>
          <Button onPress={showAll}>{t('Show all {count}', { count: integrations.length })}</Button>
        </Empty>
      ) : (
        <ul className={css.services} aria-label={t('Services')}>
          {found.map((service) => (
            <ServiceCard key={service.name} service={service} isChosen={service.name === chosen} />
          ))}
        </ul>
      )}
    </>
  )
}

const serviceLink = (service: string) => (text: ReactNode) => (
  <Link to="/add-integration" search={(search) => ({ ...search, service })} resetScroll={false}>
    {text}
  </Link>
)

function ServiceCard({ service, isChosen }: { service: Service; isChosen: boolean }): ReactNode {
  const { name, title, summary, logo, connections } = service
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <li ref={card}>
      <Link
        to="/add-integration"
        search={(search) => ({ ...search, service: name })}
        resetScroll={false}
        className={css.service}
        aria-current={isChosen ? 'true' : undefined}
      >
        <span className={css.serviceLogo} style={{ '--logo': logo.color } as object} aria-hidden="true">
          {logo.letter}
        </span>
        <span className={css.serviceText}>
          <b>{title}</b>
          <span className="soft small">{summary}</span>
        </span>
        {connections > 0 && (
          <span className={css.serviceCount}>
            <Check className="icon" aria-hidden="true" />
            <span aria-hidden="true">{connections}</span>
            <span className="visually-hidden">
              {t('{connections, plural, one {# connection} other {# connections}}', { connections })}
            </span>
          </span>
        )}
      </Link>
    </li>
  )
}
