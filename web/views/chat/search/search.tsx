import { useLocation, useNavigate } from '@tanstack/react-router'
import SearchIcon from 'lucide-react/icons/search'
import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useEffect } from 'react'
import { operandId, parseSearch, type SearchFilter, searchText } from '../../../store/messages/search-query.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ChatLayout } from '../chat-layout.tsx'
import { useCurrentNarrow } from '../current-narrow.ts'
import { MessagesPage } from '../messages-page.tsx'
import { type NarrowSearch, readNarrowSearch, toLocation } from '../to-location.ts'
import { NoResults } from './no-results.tsx'
import { PublicChannelsToggle } from './public-channels.tsx'
import { RelevantMessages } from './relevant-messages.tsx'
import { resolveSearch } from './resolve-search.ts'
import { ResultOrder } from './result-order.tsx'
import { SearchField } from './search-field.tsx'
import { SearchStart } from './search-start.tsx'
import './search.css'
import { ResultCount } from './result-count.tsx'
import { quoteTypedNames } from './typed-names.ts'

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
              <div className="search-options">
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
