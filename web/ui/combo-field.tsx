import ChevronDown from 'lucide-react/icons/chevron-down'
import { type KeyboardEvent, type ReactNode, use } from 'react'
import { Button } from 'react-aria-components/Button'
import { ComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { ListBox } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Text } from 'react-aria-components/Text'
import './field.css'
import './combo-field.css'
import './popover.css'
import { t } from '../text/t.ts'
import { disabledKeysOf, type Option, OptionItem } from './select-field.tsx'

/**
 * A choice among many, filtered by typing. Enter chooses the focused option, or else the first match of the typed text.
 * If `value` is null, the field adds entries and clears itself after each choice.
 */
export function ComboField<Key extends string | number>(props: {
  label: string
  name?: string
  value: Key | null
  /** The error of the value. It is shown next to the field, and screen readers announce it. */
  error?: string | null
  onChoose: (value: Key) => void
  options: readonly Option<Key>[]
  placeholder?: string
  description?: ReactNode
  /** True if the choices are shown before the user types. */
  opensOnFocus?: boolean
}): ReactNode {
  const { label, name, value, error, onChoose, options, placeholder, description, opensOnFocus = false } = props
  return (
    <ComboBox
      className="field"
      defaultItems={options}
      disabledKeys={disabledKeysOf(options)}
      value={value}
      onChange={(key) => key !== null && onChoose(key as Key)}
      menuTrigger={opensOnFocus ? 'focus' : 'input'}
      allowsEmptyCollection
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <Label className="field-label">{label}</Label>
      <ComboLine>
        <Input className="field-input" name={name} placeholder={placeholder} />
        <Button className="combo-button">
          <ChevronDown className="icon" aria-hidden="true" />
        </Button>
      </ComboLine>
      <FieldError className="field-error">{error}</FieldError>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <Popover className="popover">
        <ListBox<Option<Key>>
          className="list-box"
          renderEmptyState={() => <p className="combo-none">{t('No matches')}</p>}
        >
          {(option) => <OptionItem {...option} />}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}

/** The input and its button. Without a focused option, React Aria would clear the typed text on Enter. */
function ComboLine({ children }: { children: ReactNode }): ReactNode {
  const state = use(ComboBoxStateContext)

  function chooseFirst(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || state === null) return
    const { isOpen, inputValue, selectedItem, selectionManager, collection } = state
    const isTyped = inputValue.trim() !== '' && inputValue !== selectedItem?.textValue
    if (!isOpen || !isTyped || selectionManager.focusedKey !== null) return
    event.preventDefault()
    event.stopPropagation()
    const first = [...collection.getKeys()].find((key) => !selectionManager.isDisabled(key))
    if (first !== undefined) selectionManager.select(first)
  }

  return (
    <div className="combo-line" onKeyDownCapture={chooseFirst}>
      {children}
    </div>
  )
}

/** A text field that suggests values while the user types. Other values can be typed, too. */
export function SuggestedField(props: {
  label: string
  name: string
  value: string
  suggestions: readonly string[]
  error: string | null
  description?: ReactNode
  isDisabled?: boolean
  autoFocus?: boolean
  onChange: (value: string) => void
}): ReactNode {
  const { label, name, value, suggestions, error, description, isDisabled = false, autoFocus = false, onChange } = props
  return (
    <ComboBox
      className="field"
      allowsCustomValue
      inputValue={value}
      onInputChange={onChange}
      items={suggestions.map((suggestion) => ({ id: suggestion, label: suggestion }))}
      isInvalid={error !== null}
      validationBehavior="aria"
      isDisabled={isDisabled}
      autoFocus={autoFocus}
    >
      <Label className="field-label">{label}</Label>
      <Input className="field-input" name={name} dir="auto" />
      <FieldError className="field-error">{error}</FieldError>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <Popover className="popover">
        <ListBox<{ id: string; label: string }> className="list-box">{(option) => <OptionItem {...option} />}</ListBox>
      </Popover>
    </ComboBox>
  )
}
