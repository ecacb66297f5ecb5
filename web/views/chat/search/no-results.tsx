import SearchX from 'lucide-react/icons/search-x'
import type { ReactNode } from 'react'
import { type SearchFilter, searchText } from '../../../store/messages/search-query.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { inPublicChannels, maySearchPublic } from './public-channels.tsx'

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
      <div className="row search-broader">
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
