import AtSign from 'lucide-react/icons/at-sign'
import Bell from 'lucide-react/icons/bell'
import ChevronDown from 'lucide-react/icons/chevron-down'
import Hash from 'lucide-react/icons/hash'
import MessageSquare from 'lucide-react/icons/message-square'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { Button } from 'react-aria-components/Button'
import type { Subscription } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import '../../../ui/layout/chips.css'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { MenuButton } from '../../../ui/menu/menu-button.tsx'

const ChannelItems = lazyPart(async () => (await import('./channel-items.tsx')).ChannelItems)

/** The unread conversations that the inbox shows: all, some, or those of the channel with an id. */
export type InboxFilter = 'unread' | 'mentions' | 'direct' | 'followed' | number

const CHIPS: readonly [filter: InboxFilter, label: string, icon: ComponentType<SVGProps<SVGSVGElement>> | null][] = [
  ['unread', t('Unread'), null],
  ['mentions', t('Mentions'), AtSign],
  ['direct', t('Direct'), MessageSquare],
  ['followed', t('Followed'), Bell],
]

/** Chips that choose which unread conversations are shown. */
export function InboxFilterChips(props: {
  filter: InboxFilter
  onFilter: (filter: InboxFilter) => void
  /** The channels to choose from. */
  channels: readonly Subscription[]
}): ReactNode {
  const { filter, onFilter, channels } = props
  const chosen = channels.find(({ stream_id }) => stream_id === filter)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page
    <div className="chips inbox-chips" role="group" aria-label={t('Filter')}>
      {CHIPS.map(([id, label, Icon]) => (
        <button key={id} type="button" className="chip" aria-pressed={filter === id} onClick={() => onFilter(id)}>
          {Icon !== null && <Icon className="icon" aria-hidden="true" />}
          {label}
        </button>
      ))}
      {channels.length > 0 && (
        <MenuButton
          placement="bottom start"
          load={ChannelItems.load}
          button={(props) => (
            <Button {...props} className="chip" aria-pressed={chosen !== undefined}>
              <Hash className="icon" aria-hidden="true" />
              {chosen?.name ?? t('Channel')}
              <ChevronDown className="icon" aria-hidden="true" />
            </Button>
          )}
        >
          {(menu) => <ChannelItems {...menu} channels={channels} onChoose={onFilter} />}
        </MenuButton>
      )}
    </div>
  )
}
