import Bold from 'lucide-react/icons/bold'
import Code from 'lucide-react/icons/code'
import EyeOff from 'lucide-react/icons/eye-off'
import Italic from 'lucide-react/icons/italic'
import Link from 'lucide-react/icons/link'
import List from 'lucide-react/icons/list'
import TextQuote from 'lucide-react/icons/text-quote'
import type { ReactNode } from 'react'
import { Toolbar } from 'react-aria-components/Toolbar'
import { t } from '../../../text/t.ts'
import { applyFormat, FORMAT_KEYS } from '../editor/format-by-key.ts'
import type { Format } from '../editor/formatting.ts'
import { BarButton } from './bar-button.tsx'

const TOOLS: readonly { format: Format; label: string; Icon: typeof Bold }[] = [
  { format: 'bold', label: t('Bold'), Icon: Bold },
  { format: 'italic', label: t('Italic'), Icon: Italic },
  { format: 'link', label: t('Link'), Icon: Link },
  { format: 'list', label: t('List'), Icon: List },
  { format: 'quote', label: t('Quote'), Icon: TextQuote },
  { format: 'code', label: t('Code'), Icon: Code },
  { format: 'spoiler', label: t('Spoiler'), Icon: EyeOff },
]

/**
 * Buttons that format the selection of the text area that `field` returns. Further formats are in the menu beside them.
 */
export function FormatBar(props: { field: () => HTMLTextAreaElement | null; isDisabled?: boolean }): ReactNode {
  const { field, isDisabled = false } = props
  return (
    <Toolbar className="format-bar" aria-label={t('Format')}>
      {TOOLS.map(({ format, label, Icon }) => (
        <BarButton
          key={format}
          label={label}
          keys={FORMAT_KEYS[format]}
          Icon={Icon}
          isDisabled={isDisabled}
          onPress={() => {
            const area = field()
            if (area !== null) applyFormat(area, format)
          }}
        />
      ))}
    </Toolbar>
  )
}
