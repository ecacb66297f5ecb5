import AtSign from 'lucide-react/icons/at-sign'
import Bell from 'lucide-react/icons/bell'
import ChevronDown from 'lucide-react/icons/chevron-down'
import Hash from 'lucide-react/icons/hash'
import MessageSquare from 'lucide-react/icons/message-square'
import PencilLine from 'lucide-react/icons/pencil-line'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { Button } from 'react-aria-components/Button'
import type { Subscription } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import * as chipsCss from '../../ui/chips.module.css'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { MenuButton } from '../../ui/menu-button.tsx'
import type { ConversationFilter } from './conversation-filter.ts'
import * as css from './filter-bar.module.css'

const ChannelItems = lazyPart(async () => (await import('./channel-items.tsx')).ChannelItems)

type Named = Exclude<ConversationFilter, number>

const CHIPS: Readonly<Record<Named, [label: string, icon: ComponentType<SVGProps<SVGSVGElement>> | null]>> = {
  all: [t('All'), null],
  unread: [t('Unread'), null],
  mentions: [t('Mentions'), AtSign],
  direct: [t('Direct'), MessageSquare],
  followed: [t('Followed'), Bell],
  participated: [t('Participated'), PencilLine],
}

/** The filter of a list of conversations: chips, a channel, and a text field. */
export function FilterBar(props: {
  choices: readonly Named[]
  filter: ConversationFilter
  onFilter: (filter: ConversationFilter) => void
  channels: readonly Subscription[]
  text: string
  onText: (text: string) => void
}): ReactNode {
  const { choices, filter, onFilter, channels, text, onText } = props
  const chosen = channels.find(({ stream_id }) => stream_id === filter)
  return (
    <search className={css.filterBar}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page */}
      <div className={`${chipsCss.chips} ${css.filterChips}`} role="group" aria-label={t('Filter')}>
        {choices.map((id) => {
          const [label, Icon] = CHIPS[id]
          return (
            <button
              key={id}
              type="button"
              className={chipsCss.chip}
              aria-pressed={filter === id}
              onClick={() => onFilter(id)}
            >
              {Icon !== null && <Icon className="icon" aria-hidden="true" />}
              {label}
            </button>
          )
        })}
        {channels.length > 0 && (
          <MenuButton
            placement="bottom start"
            load={ChannelItems.load}
            button={(props) => (
              <Button {...props} className={chipsCss.chip} aria-pressed={chosen !== undefined}>
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
      <FilterText label={t('Filter conversations')} text={text} onText={onText} />
    </search>
  )
}

/** The field for the text of a filter. */
export function FilterText(props: { label: string; text: string; onText: (text: string) => void }): ReactNode {
  const { label, text, onText } = props
  return (
    <input
      type="search"
      className={css.filterText}
      dir="auto"
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      value={text}
      onChange={({ currentTarget }) => onText(currentTarget.value)}
    />
  )
}
