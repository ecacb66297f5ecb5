import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import Globe from 'lucide-react/icons/globe'
import SearchIcon from 'lucide-react/icons/search'
import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { MessagesPage } from '../conversation/messages-page.tsx'
import * as timelineCss from '../conversation/timeline.module.css'
import { TimelineRows } from '../conversation/timeline-rows.tsx'
import type { Narrow } from '../messages/narrow.ts'
import { mostRelevant } from '../messages/previews.ts'
import { operandId, parseSearch, type SearchFilter, searchText } from '../messages/search-query.ts'
import type { Timeline } from '../messages/timeline.ts'
import { type NarrowSearch, readNarrowSearch, toLocation, useCurrentNarrow } from '../navigation/narrow-location.ts'
import { ChatLayout } from '../navigation/page.tsx'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import * as chipsCss from '../ui/chips.module.css'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty, Loading } from '../ui/page-states.tsx'
import { resolveSearch } from './resolve-search.ts'
import * as css from './search.module.css'
import { SearchField } from './search-field.tsx'
import { SearchStart } from './search-start.tsx'
import { quoteTypedNames } from './typed-names.ts'

const PUBLIC: SearchFilter = { operator: 'channels', operand: 'public', negated: false }

const isPublic = ({ operator, negated }: SearchFilter) => operator === 'channels' && !negated

/** The operators that already limit a search to certain channels or conversations. */
const ELSEWHERE: ReadonlySet<string> = new Set(['channel', 'dm', 'dm-including', 'id', 'with', 'channels'])

/** Returns true if the search could also find messages in public channels that the user has not joined. */
export const maySearchPublic = (filters: readonly SearchFilter[]): boolean =>
  !filters.some(
    ({ operator, operand, negated }) =>
      !negated && (ELSEWHERE.has(operator) || (operator === 'is' && operand !== 'resolved') || operator === 'in'),
  )

/** Returns the text of the same search in all public channels. */
export const inPublicChannels = (filters: readonly SearchFilter[], words: string): string =>
  searchText({ filters: [...filters, PUBLIC], words })

/** A button that switches the search between the user's own messages and all public channels. */
export function PublicChannelsToggle(props: {
  filters: readonly SearchFilter[]
  words: string
  onSearch: (text: string) => void
}): ReactNode {
  const { filters, words, onSearch } = props
  const isOn = filters.some(isPublic)
  if (!isOn && !maySearchPublic(filters)) return null
  return (
    <ToggleButton
      className={chipsCss.chip}
      isSelected={isOn}
      onChange={(next) =>
        onSearch(
          next
            ? inPublicChannels(filters, words)
            : searchText({ filters: filters.filter((filter) => !isPublic(filter)), words }),
        )
      }
    >
      <Globe className="icon" aria-hidden="true" />
      {t('Search all public channels')}
    </ToggleButton>
  )
}

/** A search for one word, which may be the beginning of a longer word. */
const SINGLE_WORD = /^[\p{L}\p{N}]{2,}$/u

/** Shows that nothing was found, and offers broader searches. */
export function NoResults(props: {
  filters: readonly SearchFilter[]
  words: string
  onSearch: (text: string) => void
}): ReactNode {
  const { filters, words, onSearch } = props
  return (
    <Empty icon={<SearchX />} title={t('No messages found')}>
      <p>
        {words === ''
          ? t('No message matches all of the filters.')
          : t('Results contain all of the words and match all of the filters.')}
      </p>
      <div className={`row ${css.searchBroader}`}>
        {maySearchPublic(filters) && (
          <Button onPress={() => onSearch(inPublicChannels(filters, words))}>{t('Search all public channels')}</Button>
        )}
        {filters.length > 0 && words !== '' && (
          <Button onPress={() => onSearch(words)}>{t('Remove the filters')}</Button>
        )}
        {SINGLE_WORD.test(words) && (
          <Button onPress={() => onSearch(searchText({ filters, words: `${words}*` }))}>
            {t('Words that begin with “{words}”', { words })}
          </Button>
        )}
      </div>
    </Empty>
  )
}

const ONLY_VISIT = { step: '' }

/** The most relevant messages of a search, with the best match first. */
export function RelevantMessages({ narrow, empty }: { narrow: Narrow; empty: ReactNode }): ReactNode {
  const { data, error, refetch } = useQuery(mostRelevant(narrow))
  if (error !== null && data === undefined)
    return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading messages')} lines={6} />
  const { messages, hasOldest } = data
  if (messages.length === 0) return empty
  return (
    <div className={timelineCss.timeline}>
      <TimelineRows
        visit={ONLY_VISIT}
        narrow={narrow}
        messages={messages}
        range={{ start: 0, end: messages.length }}
        firstUnreadId={null}
        nearId={null}
        isRanked
        above={null}
      />
      {!hasOldest && (
        <p className={`${css.searchMore} soft small`}>
          {t('Only the best matches are shown. Add words or filters to find others.')}
        </p>
      )}
    </div>
  )
}

/** Chooses the order of the results of a search for words. */
export function ResultOrder(props: { isByRelevance: boolean; onChange: (isByRelevance: boolean) => void }): ReactNode {
  const { isByRelevance, onChange } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page
    <div className={chipsCss.chips} role="group" aria-label={t('Order of results')}>
      <button type="button" className={chipsCss.chip} aria-pressed={!isByRelevance} onClick={() => onChange(false)}>
        {t('By date')}
      </button>
      <button type="button" className={chipsCss.chip} aria-pressed={isByRelevance} onClick={() => onChange(true)}>
        {t('Most relevant')}
      </button>
    </div>
  )
}

/** The number of messages that a search has found. As long as more can be loaded, it is a lower limit. */
export function ResultCount({ narrow }: { narrow: Narrow }): ReactNode {
  const client = useQueryClient()
  const found = useSyncExternalStore(
    (onChange) => client.getQueryCache().subscribe(onChange),
    () => {
      const loaded = client
        .getQueriesData<Timeline>({ queryKey: ['messages', narrow] })
        .flatMap(([key, data]) => (data === undefined ? [] : [{ ...data, isRanked: key[2] === 'relevance' }]))
      const longest = loaded.toSorted((one, other) => other.messages.length - one.messages.length)[0]
      if (longest === undefined) return ''
      const { messages, hasOldest, hasNewest, isRanked } = longest
      return `${messages.length}${hasOldest && (hasNewest || isRanked) ? '' : '+'}`
    },
  )
  const count = Number.parseInt(found, 10)
  return (
    <p className={`${css.searchCount} soft small`} role="status">
      {count > 0 &&
        (found.endsWith('+')
          ? t('More than {count, plural, one {# message} other {# messages}}', { count })
          : t('{count, plural, one {# message} other {# messages}}', { count }))}
    </p>
  )
}

/** Searches messages by words and filters. The URL contains the search. */
export function Search(): ReactNode {
  const narrow = useCurrentNarrow()
  return narrow?.kind === 'search' ? <SearchPage text={narrow.query} /> : null
}

function SearchPage({ text }: { text: string }): ReactNode {
  const organization = useOrganization()
  const navigate = useNavigate()
  const { order } = readNarrowSearch(useLocation().search as Record<string, unknown>)
  const query = parseSearch(quoteTypedNames(text, organization))
  const resolved = resolveSearch(query, organization)
  const filters = resolved.map(({ filter }) => filter)
  const isUnderstood = resolved.every(({ problem }) => problem === null)
  const canonical = searchText({ filters, words: query.words })
  const narrow = { kind: 'search', query: canonical } as const
  const isByRelevance = order === 'relevance' && query.words !== ''
  const goTo = (next: string) => void navigate(searchLocation(next, order))

  // Users may type an address with names. An address with ids replaces it, because that leads to the same results even
  // after someone is renamed.
  useEffect(() => {
    if (isUnderstood && canonical !== text) void navigate({ ...searchLocation(canonical, order), replace: true })
  }, [isUnderstood, canonical, text, order, navigate])

  const empty = <NoResults filters={filters} words={query.words} onSearch={goTo} />
  return (
    <ChatLayout>
      <MessagesPage
        narrow={narrow}
        nearId={nearOf(filters)}
        title={query.words === '' ? t('Search') : t('Search: {text}', { text: query.words })}
        icon={<SearchIcon className="icon" aria-hidden="true" />}
        above={
          <>
            <SearchField text={text} filters={resolved} onSearch={goTo} />
            {isUnderstood && text !== '' && (
              <div className={css.searchOptions}>
                <PublicChannelsToggle filters={filters} words={query.words} onSearch={goTo} />
                <ResultCount narrow={narrow} />
                {query.words !== '' && (
                  <ResultOrder
                    isByRelevance={isByRelevance}
                    onChange={(next) => void navigate(searchLocation(text, next ? 'relevance' : undefined))}
                  />
                )}
              </div>
            )}
          </>
        }
        keepsUnread
        opensAtEnd
        empty={empty}
        instead={
          !isUnderstood ? (
            <NotUnderstood />
          ) : text === '' ? (
            <SearchStart onSearch={goTo} />
          ) : isByRelevance ? (
            <RelevantMessages narrow={narrow} empty={empty} />
          ) : undefined
        }
      />
    </ChatLayout>
  )
}

function searchLocation(query: string, order: NarrowSearch['order']) {
  const { to, search } = toLocation({ kind: 'search', query })
  return { to, search: order === undefined ? search : { ...search, order } }
}

const nearOf = (filters: readonly SearchFilter[]): number | undefined => {
  const near = filters.find(({ operator, negated }) => operator === 'near' && !negated)
  return near === undefined ? undefined : (operandId(near.operand) ?? undefined)
}

function NotUnderstood(): ReactNode {
  return (
    <Empty icon={<SearchX />} title={t('Couldn’t understand part of the search')}>
      <p>{t('Change or remove the filters in red. The rest of the search is kept.')}</p>
    </Empty>
  )
}
