import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { ChevronsUpDown, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { useNavigate } from 'react-router';
import { Foreign } from '../components/values.tsx';
import { logOut, useLoginSession } from '../login-session/current-login-session.ts';
import classes from './shell.module.css';

const schemes = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'auto', label: 'System', Icon: Monitor },
] as const;

/** Shows the person's email address, the color scheme and the sign-out action. */
export function PersonMenu() {
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
