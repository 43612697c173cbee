import { BookOpen, ChevronsUpDown, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { NavLink, useNavigate } from 'react-router';
import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import type { Page } from './pages.ts';
import { pages } from './pages.ts';
import classes from './shell.module.css';
import { Foreign } from '../components/values.tsx';
import { logOut, useLoginSession } from '../login-session/current-login-session.ts';

const groups = ['Start', 'Monitor', 'Set up'] as const;

/** Called when the user chooses a page, so that the menu can close. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  return (
    <nav className={classes.navigation} aria-label="Pages">
      {groups.map((group) => (
        <Group key={group} label={group} onNavigate={onNavigate} />
      ))}
      <div className={classes.foot}>
        <a className={classes.link} href="/docs" target="_blank" rel="noreferrer">
          <BookOpen size={18} aria-hidden />
          API reference
        </a>
        <PersonMenu />
      </div>
    </nav>
  );
}

function Group({ label, onNavigate }: { readonly label: Page['group']; readonly onNavigate?: () => void }) {
  const shown = pages.filter(({ group, isInNavigation }) => group === label && isInNavigation !== false);
  if (shown.length === 0) return null;
  return (
    <div>
      <p className={classes.group}>{label}</p>
      <ul className={classes.links}>
        {shown.map(({ path, label: text, icon: Icon }) => (
          <li key={path}>
            <NavLink className={classes.link} to={`/${path}`} onClick={onNavigate}>
              <Icon size={18} aria-hidden />
              {text}
            </NavLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

const schemes = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'auto', label: 'System', Icon: Monitor },
] as const;

/** Shows the person's email address, the color scheme and the sign-out action. */
function PersonMenu() {
  const { email } = useLoginSession();
  const navigate = useNavigate();
  const leave = async () => {
    await logOut();
    await navigate('/sign-in', { replace: true });
  };
  return (
    <Menu position="top-start" width={220} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.person}>
          <UserRound size={18} aria-hidden />
          <span className={classes.email}>
            <Foreign>{email ?? 'Signed in'}</Foreign>
            <span className="visually-hidden">: appearance and sign-out</span>
          </span>
          <ChevronsUpDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>Appearance</Menu.Label>
      {schemes.map(({ value, label, Icon }) => (
        <Menu.Item
          key={value}
          leftSection={<Icon size={16} aria-hidden />}
          rightSection={colorScheme === value ? '✓' : null}
          onClick={() => setColorScheme(value)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}
