import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { RenderedContent } from '../message/content/rendered-content.tsx'

/** Shows the text as the server renders it. */
export function Preview({ text }: { text: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['preview', text],
    queryFn: ({ signal }) => call('POST /messages/render', { content: text }, { signal }),
    gcTime: 0,
  })
  if (error !== null)
    return (
      <ErrorNotice title={t('Couldn’t load the preview')} error={toAppError(error)} onRetry={() => void refetch()} />
    )
  if (data === undefined) return <Loading label={t('Loading preview')} lines={2} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="composer-preview" aria-label={t('Preview')} tabIndex={0}>
      <RenderedContent html={data.rendered} />
    </section>
  )
}
