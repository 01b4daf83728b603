greet() { echo "Helo, $1!"; }
area() { echo $(($1 + $2)); }
farewell() { echo "Se you sone, $1."; }
half() { echo $(($1 / 2)); }
