import { Modal, TextInput, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { findCommands } from './find-commands.ts';
import classes from './command-palette.module.css';

/** Opens with Ctrl+K (on a Mac with ⌘K), and goes to a page or searches the requests. */
export function CommandPalette() {
  const [isOpen, setOpen] = useState(false);
  useHotkeys([['mod+K', () => setOpen(true)]], []);
  return isOpen ? <Palette onClose={() => setOpen(false)} /> : null;
}

/** The entries for the typed text, and the chosen entry, which the arrow keys change. */
function useCommands(onClose: () => void) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const commands = findCommands(text);
  const run = (address: string) => {
    onClose();
    void navigate(address);
  };
  const type = (typed: string) => {
    setText(typed);
    setChosen(0);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const address = commands[chosen]?.address;
    if (step !== undefined) setChosen((chosen + step + commands.length) % commands.length);
    else if (event.key === 'Enter' && address !== undefined) run(address);
    else return;
    event.preventDefault();
  };
  return { text, commands, chosen, run, type, press };
}

function Palette({ onClose }: { readonly onClose: () => void }) {
  const { text, commands, chosen, run, type, press } = useCommands(onClose);
  return (
    <Modal opened onClose={onClose} withCloseButton={false} title="Go to" padding="sm" centered={false}>
      <TextInput
        aria-label="Find a page or a request"
        placeholder="Find a page, or search the requests"
        leftSection={<Search size={16} aria-hidden />}
        {...{ role: 'combobox', 'aria-expanded': true, 'aria-controls': 'commands' }}
        aria-activedescendant={`command-${chosen}`}
        data-autofocus
        autoComplete="off"
        value={text}
        onKeyDown={press}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <div id="commands" role="listbox" aria-label="Pages and searches" className={classes.list}>
        {commands.map(({ address, label }, index) => (
          <UnstyledButton
            {...{ id: `command-${index}`, role: 'option', 'aria-selected': index === chosen, tabIndex: -1 }}
            key={address}
            className={classes.option}
            onClick={() => run(address)}
          >
            {label}
          </UnstyledButton>
        ))}
      </div>
    </Modal>
  );
}
