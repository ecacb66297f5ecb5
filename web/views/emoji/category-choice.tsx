import Clock from 'lucide-react/icons/clock'
import Flag from 'lucide-react/icons/flag'
import Hash from 'lucide-react/icons/hash'
import Lightbulb from 'lucide-react/icons/lightbulb'
import PawPrint from 'lucide-react/icons/paw-print'
import Plane from 'lucide-react/icons/plane'
import Smile from 'lucide-react/icons/smile'
import Star from 'lucide-react/icons/star'
import Trophy from 'lucide-react/icons/trophy'
import Utensils from 'lucide-react/icons/utensils'
import type { ReactNode } from 'react'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { t } from '../../text/t.ts'
import type { EmojiChoice } from './emoji-table.ts'

export const RECENT = 'Recent'

/** A category of emoji, or the user's recently used emoji. */
export type ShownCategory = EmojiChoice['category'] | typeof RECENT

const CATEGORY_LOOKS: Readonly<Record<ShownCategory, { label: string; Icon: typeof Clock }>> = {
  Recent: { label: t('Recently used'), Icon: Clock },
  Own: { label: t('Custom'), Icon: Star },
  Smileys: { label: t('Smileys & people'), Icon: Smile },
  Animals: { label: t('Animals & nature'), Icon: PawPrint },
  Food: { label: t('Food & drink'), Icon: Utensils },
  Activities: { label: t('Activities'), Icon: Trophy },
  Travel: { label: t('Travel & places'), Icon: Plane },
  Objects: { label: t('Objects'), Icon: Lightbulb },
  Symbols: { label: t('Symbols'), Icon: Hash },
  Flags: { label: t('Flags'), Icon: Flag },
}

/** The choice of a category as a strip of icons. */
export function CategoryChoice(props: {
  categories: readonly ShownCategory[]
  shown: ShownCategory
  onChange: (shown: ShownCategory) => void
}): ReactNode {
  const { categories, shown, onChange } = props
  return (
    <RadioGroup
      className="emoji-categories"
      aria-label={t('Category')}
      orientation="horizontal"
      value={shown}
      onChange={(value) => onChange(value as ShownCategory)}
    >
      {categories.map((category) => {
        const { label, Icon } = CATEGORY_LOOKS[category]
        return (
          <Radio key={category} className="emoji-category" value={category} aria-label={label}>
            <span className="emoji-category-icon" title={label}>
              <Icon className="icon" aria-hidden="true" />
            </span>
          </Radio>
        )
      })}
    </RadioGroup>
  )
}
