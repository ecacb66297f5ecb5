import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { RenderedContent } from '../../message/content/rendered-content.tsx'
import type { Linkifier } from './linkifier.ts'

/** Shows how the server renders text with the current linkifiers. */
export function LinkifierTest({ rules }: { rules: readonly Linkifier[] }): ReactNode {
  const [text, setText] = useState('')
  const tried = useDeferredValue(text.trim())
  const { data, error, refetch } = useQuery({
    queryKey: ['try-links', tried, rules],
    queryFn: ({ signal }) => call('POST /messages/render', { content: tried }, { signal }),
    enabled: tried !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return (
    <section className="settings-form" aria-label={t('Test linkifiers')}>
      <TextField
        label={t('Sample text')}
        description={t('Shows how the text looks in a message. Nothing is sent.')}
        autoComplete="off"
        maxLength={1000}
        value={text}
        onChange={setText}
      />
      <div aria-live="polite">
        {error !== null && <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />}
        {tried !== '' && data !== undefined && <RenderedContent html={data.rendered} />}
      </div>
    </section>
  )
}
