import { useMutation, useQuery } from '@tanstack/react-query'
import { useSelector } from '@tanstack/react-store'
import ImagePlay from 'lucide-react/icons/image-play'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { SearchField } from 'react-aria-components/SearchField'
import { type AnswerOf, call } from '../../api/call.ts'
import { animationPolicy } from '../../message-html/display-settings.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty, Loading } from '../../ui/page-states.tsx'
import { useMedia } from '../../ui/use-media.ts'
import '../../ui/field.css'
import * as css from './gif-picker.module.css'

type Found = AnswerOf<'GET /gifs/search'>
type Gif = Found['gifs'][number]

/** The time without typing after which a search begins, in milliseconds. */
const PAUSE = 400

/** A dialog in which users search GIFs. It shows popular ones until they type. */
export function GifPicker(props: { onInsert: (markdown: string) => void; onClose: () => void }): ReactNode {
  const { onInsert, onClose } = props
  const [typed, setTyped] = useState('')
  const [query, setQuery] = useState('')
  const picker = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), PAUSE)
    return () => clearTimeout(timer)
  }, [typed])

  /** Moves from the search field to the results, before the field stops the propagation of the keys. */
  function onKey(event: KeyboardEvent) {
    if (!(event.target instanceof HTMLInputElement) || (event.key !== 'ArrowDown' && event.key !== 'Enter')) return
    setQuery(typed.trim())
    if (query === typed.trim()) picker.current?.querySelector<HTMLElement>('[role="option"]')?.focus()
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <Dialog title={t('GIFs')} size="large" isOpen onClose={onClose}>
      <div ref={picker} className={`dialog-body ${css.gifPicker}`} onKeyDownCapture={onKey}>
        <SearchField aria-label={t('Search GIFs')} autoFocus value={typed} onChange={setTyped}>
          <Input className="field-input" placeholder={t('Search GIFs')} maxLength={100} />
        </SearchField>
        <Results key={query} query={query} onChoose={({ title, url }) => onInsert(`[${title}](${url})`)} />
      </div>
    </Dialog>
  )
}

const search = (query: string, next: string, signal?: AbortSignal) =>
  call('GET /gifs/search', { query, next }, signal && { signal })

function Results({ query, onChoose }: { query: string; onChoose: (gif: Gif) => void }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['gifs', query],
    queryFn: ({ signal }) => search(query, '', signal),
  })
  const [others, setOthers] = useState<readonly Found[]>([])
  const more = useMutation({
    mutationFn: (next: string) => search(query, next),
    onSuccess: (found) => setOthers((known) => [...known, found]),
  })
  if (error !== null)
    return <ErrorNotice title={t('Couldn’t load GIFs')} error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading GIFs')} />
  const pages = [data, ...others]
  const gifs = distinct(pages.flatMap((page) => page.gifs))
  const next = pages.at(-1)?.next ?? null
  if (gifs.length === 0)
    return (
      <Empty icon={<ImagePlay />} title={t('No GIFs found')}>
        {t('Try other words, such as “hooray” or “thank you”.')}
      </Empty>
    )
  return (
    <>
      <ListBox
        className={css.gifs}
        aria-label={query === '' ? t('Popular GIFs') : t('GIFs for “{query}”', { query })}
        layout="grid"
        items={gifs}
        onAction={(key) => {
          const gif = gifs.find(({ id }) => id === key)
          if (gif !== undefined) onChoose(gif)
        }}
      >
        {(gif) => (
          <ListBoxItem className={css.gif} id={gif.id} textValue={gif.title}>
            {({ isHovered, isFocused }) => <Preview gif={gif} isPointedAt={isHovered || isFocused} />}
          </ListBoxItem>
        )}
      </ListBox>
      {more.error !== null && (
        <ErrorNotice kind="warn" title={t('Couldn’t load more GIFs')} error={toAppError(more.error)} />
      )}
      <div className={css.gifFooter}>
        {/* The providers require this mark, in this wording. */}
        <span className="soft small" translate="no">
          {data.provider === 'giphy' ? 'Powered by GIPHY' : 'Powered by Tenor'}
        </span>
        {next !== null && (
          <Button isPending={more.isPending} onPress={() => more.mutate(next)}>
            {t('Show more')}
          </Button>
        )}
      </div>
    </>
  )
}

/** Providers return popular GIFs on several pages. */
const distinct = (gifs: readonly Gif[]): Gif[] => [...new Map(gifs.map((gif) => [gif.id, gif])).values()]

/** A small version of the GIF. It moves as animated pictures in messages do. */
function Preview({ gif, isPointedAt }: { gif: Gif; isPointedAt: boolean }): ReactNode {
  const policy = useSelector(animationPolicy)
  const isReduced = useMedia('(prefers-reduced-motion: reduce)')
  const moves = policy === 'always' && !isReduced ? true : policy !== 'never' && isPointedAt
  return (
    <img
      src={moves ? gif.preview_url : (gif.still_url ?? gif.preview_url)}
      alt={gif.title}
      width={gif.width}
      height={gif.height}
      loading="lazy"
      decoding="async"
    />
  )
}
